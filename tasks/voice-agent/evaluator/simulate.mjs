// Calls of all kinds, drawn from a seed, and the cases that explain failures.
import { createCall, play } from './call.mjs';
import { RIGHT } from './phrases.mjs';
import { randomOf } from './random.mjs';
import { KINDS } from './scripts.mjs';

const CALLS = 800;
/** Share of callers whose ways to say things are shown to nobody. */
const HELD_OUT = 0.3;
const PATIENCE = { least: 22, most: 60 };

/** Plays all calls. Returns by kind: { isSuccess, isHeldOut, said, wrong }. */
export function simulate(agent, seed, count = CALLS) {
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, draw]) => [
      kind,
      Array.from({ length: count }, (_, i) => {
        const random = randomOf(`calls/${seed}/${kind}/${i}`);
        const isHeldOut = random.chance(HELD_OUT);
        const patience = PATIENCE.least + (PATIENCE.most - PATIENCE.least) * random.next();
        const { script, isSuccess } = draw(random, i);
        const call = createCall(random, agent, { isHeldOut, patience });
        const left = play(call, script);
        // An agent that always collects books rightly, but never understands a goodbye: its callers hang up.
        const isServed = left.ended !== null && isSuccess(left);
        return { isSuccess: isServed, isHeldOut, said: call.said, wrong: left.wrong };
      }),
    ]),
  );
}

const SHOWN = 4;

/** The most frequent misunderstandings of each kind as cases; those of held-out callers are marked. */
export function casesOf(calls) {
  return Object.entries(calls).flatMap(([kind, list]) =>
    [false, true].flatMap((isHeldOut) => {
      const some = list.filter((call) => call.isHeldOut === isHeldOut);
      const mark = isHeldOut ? { heldOut: true } : {};
      const share = some.filter(({ isSuccess }) => isSuccess).length / Math.max(1, some.length);
      const failed = some.filter(({ isSuccess }) => !isSuccess);
      const impatient = failed.filter(({ wrong }) => wrong === null).length;
      return [
        {
          name: isHeldOut ? `${kind}, held out` : kind,
          value: share,
          text: `${failed.length} of ${some.length} calls failed, ${impatient} of them without a misunderstanding`,
          ...mark,
        },
        ...misunderstandings(failed, some.length).map((one) => ({ name: `${kind}: words`, ...one, ...mark })),
      ];
    }),
  );
}

/** First misunderstanding of each failed call, one for each intent and act, the most frequent first. */
function misunderstandings(failed, total) {
  const byKey = new Map();
  for (const { wrong } of failed) {
    if (wrong === null) continue;
    const key = `${wrong.intent}/${wrong.act}`;
    byKey.set(key, [...(byKey.get(key) ?? []), wrong]);
  }
  return [...byKey.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, SHOWN)
    .map(([{ text, act, intent }, ...others]) => ({
      value: (1 + others.length) / total,
      text: `caller: ${text} / the agent did ${act}, expected ${RIGHT[intent]}`,
    }));
}
