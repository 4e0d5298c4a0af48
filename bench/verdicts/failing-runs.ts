import { binomialInterval } from '../../domain/statistics/binomial-interval.ts';
import type { Cell } from '../support/table.ts';
import { configOf } from './measure.ts';
import { simulate, type Failing, type Hill } from './simulate.ts';

const SCENES: readonly { hill: Hill; name: string; failing?: Failing }[] = [
  { hill: 'A/A', name: 'equal candidates' },
  { hill: 'A/A', name: 'equal candidates', failing: 'at random' },
  { hill: 'A/A', name: 'equal candidates', failing: 'if unlucky' },
  { hill: { share: 0.1, size: 2 }, name: '10 % of 2 sd' },
  { hill: { share: 0.1, size: 2 }, name: '10 % of 2 sd', failing: 'at random' },
];

export const FAILING_HEAD = ['candidates', 'fail', 'claims', 'with a false claim', 'upper 95 %', 'runs'];

/** Rows of a table of claims of candidates whose runs fail; 60 trials, 10 baseline runs, which never fail. */
export const failingRows = (repeats: number): Cell[][] =>
  SCENES.map(({ hill, name, failing }) => {
    const config = configOf('lead');
    let [claims, researches, runs] = [0, 0, 0];
    for (let i = 0; i < repeats; i += 1) {
      const common = { hill, noise: 'normal' as const, config, searches: 60, window: 4, seed: 70_000 + i };
      const result = simulate(failing === undefined ? common : { ...common, failing });
      claims += result.keeps;
      if (result.falseKeeps > 0) researches += 1;
      runs += result.runs;
    }
    const { high } = binomialInterval(researches, repeats, 0.975);
    const [perResearch, mean] = [claims / repeats, runs / repeats];
    return [name, failing ?? 'never', perResearch.toFixed(2), researches, high.toFixed(3), mean.toFixed(1)];
  });
