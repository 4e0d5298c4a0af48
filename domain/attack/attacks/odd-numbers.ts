import type { Attack } from '../attack.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf, onArtefacts } from './on-artefacts.ts';

const NUMBER = '-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?';
const DIGITS = 400;

/** Honest work, after which every number of the artefact is replaced. */
const replaceNumbers = (kind: string, number: string): Attack => ({
  ...onArtefacts,
  name: `artefact-${kind}`,
  where: 'run',
  tries: `turn every number of the artefact into ${number.length > 20 ? `one of ${DIGITS} digits` : number}`,
  acts: (target) => ({
    end: forEachPath(
      artefactsOf(target),
      `[ ! -f "$path" ] || { LC_ALL=C sed -E 's/${NUMBER}/${number}/g' <"$path" >"$path.odd"; ` +
        `mv -f "$path.odd" "$path"; }`,
    ),
  }),
  // An artefact without numbers stays as it was, and is scored.
  expected: ['candidate-protocol', 'metric-unreadable', 'metric-not-finite', 'metric-out-of-bounds', 'completed'],
});

/** Artefacts with numbers that give no score. */
export const ODD_NUMBERS: readonly Attack[] = [
  replaceNumbers('nan', 'NaN'),
  replaceNumbers('infinity', 'Infinity'),
  replaceNumbers('minus-infinity', '-Infinity'),
  replaceNumbers('absurd', '1e308'),
  replaceNumbers('long-integer', '9'.repeat(DIGITS)),
];
