import type { Attack } from '../attack.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf, onArtefacts } from './on-artefacts.ts';

const DEPTH = 300_000;
const BOMB_BYTES = 64_000_000;

/** An artefact that costs no work; `write` fills `"$path"`. */
const holds = (kind: string, what: string, write: string): Attack => ({
  ...onArtefacts,
  name: `artefact-${kind}`,
  where: 'run',
  tries: `leave ${what} as the artefact, without any work`,
  acts: (target) => ({ begin: `${forEachPath(artefactsOf(target), `${write} >"$path"`)}\nexit 0` }),
  expected: ['candidate-protocol'],
});

/** Artefacts that an evaluator has to refuse when it reads them. */
export const MALFORMED: readonly Attack[] = [
  holds('empty', 'an empty file', ':'),
  holds('two-values', 'two values instead of one', "printf '0.0\\n1.0'"),
  holds('deep', `${DEPTH} nested lists`, `{ printf "%${DEPTH}s" | tr ' ' '['; printf "%${DEPTH}s" | tr ' ' ']'; }`),
  holds('bomb', `${BOMB_BYTES / 1e6} MB in a gzip file`, `head -c ${BOMB_BYTES} /dev/zero | gzip -c`),
];
