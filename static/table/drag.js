/* Tiles of the hand under a finger or the mouse: pulled up they are discarded, pulled sideways they change places. */

const SLACK_PX = 8;   // a tap may tremble

/** Follow drags of the hand within `root`. `on.up(key)`: let go above a third of its height; `on.aside(key, other)`: let go on another tile,
    where `on.movable()`; `on.end()`: in any case, at the end. */
export function dragTiles(root, on) {
  let drag = null;

  root.addEventListener("pointerdown", event => {
    const tile = event.target.closest(".hand button.tile");
    if (tile && event.isPrimary) drag = { tile, x: event.clientX, y: event.clientY, isMoving: false };
  });

  root.addEventListener("pointermove", event => {
    if (!drag) return;
    const { x, y } = wayOf(event);
    if (!drag.isMoving && (y < -SLACK_PX || Math.abs(x) > SLACK_PX)) {
      drag.isMoving = true;
      drag.tile.setPointerCapture(event.pointerId);
      drag.tile.classList.add("is-dragged");
    }
    if (drag.isMoving) drag.tile.style.setProperty("translate", `${x}px ${y}px`);
  });

  for (const name of ["pointerup", "pointercancel"]) {
    root.addEventListener(name, event => {
      if (!drag) return;
      const { tile, isMoving } = drag, { y } = wayOf(event);
      const { key } = tile.dataset;
      if (isMoving && name === "pointerup") {
        if (y < -tile.offsetHeight / 3) on.up(key);
        else if (on.movable()) aside(event, key);
      }
      drag = null;
      if (!isMoving) return;
      tile.style.removeProperty("translate");
      tile.classList.remove("is-dragged");
      // The click that follows a drag is none.
      root.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => root.removeEventListener("click", stop, { capture: true }));
      on.end();
    });
  }

  function wayOf(event) {
    return { x: on.movable() ? event.clientX - drag.x : 0, y: Math.min(0, event.clientY - drag.y) };
  }

  function aside(event, key) {
    const under = document.elementsFromPoint(event.clientX, event.clientY).map(one => one.closest(".hand button.tile")).find(one => one && one.dataset.key !== key);
    if (under) on.aside(key, under.dataset.key);
  }
}

const stop = event => event.stopPropagation();
