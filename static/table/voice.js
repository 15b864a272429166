/* Tiles and claims said aloud by a voice of this machine. Voices that speak over the network are left alone: the page asks nobody else. */

/** Of a browser's voices the one for a language, "zh-hans" or "en", or null. */
export function voiceFor(voices, language) {
  const [spoken] = language.split("-");
  const fitting = voices.filter(voice => voice.localService && voice.lang.replace("_", "-").split("-")[0] === spoken);
  return fitting.find(voice => voice.default) ?? fitting[0] ?? null;
}

/** Say words in the page's language at a volume of 0 to 100; what is still waiting to be said by then is old and dropped. */
export function voiceSay(words, volume) {
  const { speechSynthesis } = globalThis;
  const voice = speechSynthesis && voiceFor(speechSynthesis.getVoices(), document.documentElement.lang);
  if (!voice) return;
  if (speechSynthesis.pending) speechSynthesis.cancel();
  const saying = new SpeechSynthesisUtterance(words);
  Object.assign(saying, { voice, lang: voice.lang, volume: volume / 100, rate: 1.15 });
  speechSynthesis.speak(saying);
}
