/* The sounds of the table, made by the browser itself: there are no files. Levels are 0 to 1, times seconds. */

let context = null, out = null, noise = null;

/** Browsers let sound begin with a gesture only: call this at every one. */
export function soundUnlock() {
  if (context) return void context.resume();
  if (!("AudioContext" in globalThis)) return;
  context = new AudioContext();
  out = context.createGain();
  const limiter = context.createDynamicsCompressor();
  out.connect(limiter).connect(context.destination);
  noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
  const samples = noise.getChannelData(0);
  for (let at = 0; at < samples.length; at++) samples[at] = Math.random() * 2 - 1;
}

/** Play some sounds by their names, one shortly after another, at a volume of 0 to 100. */
export function soundPlay(names, volume) {
  if (context?.state !== "running" || !volume) return;
  out.gain.value = (volume / 100) ** 2;
  names.forEach((name, place) => SOUNDS[name](context.currentTime + .01 + place * .12));
}

const SOUNDS = {
  deal: at => { for (const beat of [0, 1, 2, 3]) knock(at + beat * .13, .4, 1.1); },
  draw: at => knock(at, .25, 1.25),
  discard: at => knock(at, .9, 1),
  pung: at => { knock(at, .9, 1); knock(at + .08, 1, .9); },
  kong: at => { for (const beat of [0, 1, 2]) knock(at + beat * .08, .8 + beat * .1, 1 - beat * .1); gust(at + .2, .5, .7); },
  win: at => { knock(at, 1, .8); [523, 659, 784, 1047].forEach((pitch, place) => bell(at + .06 + place * .09, pitch, .35, 1.4)); },
  turn: at => { bell(at, 880, .22, .5); bell(at + .1, 1175, .2, .7); },
  hurry: at => bell(at, 622, .25, .25),
  end: at => { bell(at, 392, .3, 1.2); bell(at + .14, 294, .3, 1.6); },
};

/** Tile on felt: a click of noise above a short thud. */
function knock(at, level, pitch) {
  const click = context.createBufferSource(), band = context.createBiquadFilter();
  click.buffer = noise;
  band.type = "bandpass";
  band.frequency.value = 2300 * pitch;
  band.Q.value = 1.1;
  click.connect(band).connect(fade(at, level, .06));
  click.start(at, Math.random() * .8, .1);
  tone(at, 190 * pitch, level * .5, .07);
}

/** Wind: noise that swells and falls. */
function gust(at, level, length) {
  const air = context.createBufferSource(), low = context.createBiquadFilter(), gain = context.createGain();
  air.buffer = noise;
  low.type = "lowpass";
  low.frequency.setValueAtTime(300, at);
  low.frequency.linearRampToValueAtTime(1500, at + length * .4);
  low.frequency.linearRampToValueAtTime(250, at + length);
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(level * .5, at + length * .4);
  gain.gain.linearRampToValueAtTime(0, at + length);
  air.connect(low).connect(gain).connect(out);
  air.start(at, 0, length);
}

/** A small bell: the strike and two of its overtones, which die away sooner. */
function bell(at, pitch, level, length) {
  tone(at, pitch, level, length);
  tone(at, pitch * 2.76, level * .3, length * .4);
  tone(at, pitch * 5.4, level * .12, length * .2);
}

function tone(at, pitch, level, length) {
  const wave = context.createOscillator();
  wave.frequency.value = pitch;
  wave.connect(fade(at, level, length));
  wave.start(at);
  wave.stop(at + length + .05);
}

function fade(at, level, length) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(.0001, at);
  gain.gain.exponentialRampToValueAtTime(Math.max(.0002, level), at + .004);
  gain.gain.exponentialRampToValueAtTime(.0001, at + length);
  gain.connect(out);
  return gain;
}
