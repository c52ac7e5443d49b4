/**
 * Prints what a night's judgement finds and what it gets wrong, for people who work on the rules:
 * `node test/simulation/first-night/run.ts [WORLD 1-5] [SEED] [SHARE WITH A QUOTE]`.
 */
import { playNight } from './play.ts';
import { WORLDS } from './worlds.ts';

const [world = '1', seed, quoted] = process.argv.slice(2);
const [name, form] = Object.entries(WORLDS)[Number(world) - 1] ?? [];
if (form === undefined) throw new Error(`WORLD is 1 to ${Object.keys(WORLDS).length}, not ${world}`);
const scored = await playNight({
  ...form,
  seed: seed === undefined ? form.seed : Number(seed),
  quoted: quoted === undefined ? form.quoted : Number(quoted),
});
const { planted, missed, clean, alarms, byRule, others, sentences } = scored;
console.info(name);
console.info(`${planted - missed.length} of ${planted} found, ${alarms.length} false alarms in ${clean} clean records`);
console.info(byRule, others, missed);
for (const sentence of sentences.slice(0, 60)) console.info(sentence);
