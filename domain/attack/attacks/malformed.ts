import type { Attack } from '../attack.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf, onArtefacts } from './on-artefacts.ts';

const DEPTH = 300_000;
const BOMB_BYTES = 64_000_000;

/** An artefact made without any work; the command `write` prints the content. */
const malformed = (kind: string, content: string, write: string): Attack => ({
  ...onArtefacts,
  name: `artefact-${kind}`,
  where: 'run',
  tries: `leave ${content} as the artefact, without any work`,
  acts: (target) => ({ begin: `${forEachPath(artefactsOf(target), `${write} >"$path"`)}\nexit 0` }),
  expected: ['candidate-protocol'],
});

/** Artefacts that an evaluator must reject when it reads them. */
export const MALFORMED: readonly Attack[] = [
  malformed('empty', 'an empty file', ':'),
  malformed('two-values', 'two values instead of one', "printf '0.0\\n1.0'"),
  malformed('deep', `${DEPTH} nested lists`, `{ printf "%${DEPTH}s" | tr ' ' '['; printf "%${DEPTH}s" | tr ' ' ']'; }`),
  malformed('bomb', `${BOMB_BYTES / 1e6} MB in a gzip file`, `head -c ${BOMB_BYTES} /dev/zero | gzip -c`),
];
