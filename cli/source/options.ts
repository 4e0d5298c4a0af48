import { refused } from '../errors.ts';

/** Options of `perpetua start --source`, as they were given. */
export interface SourceOptions {
  source: string;
  run?: string;
  eval?: string;
  evalFiles?: string[];
  artefact?: string[];
  metric?: string;
  minimize?: boolean;
  maximize?: boolean;
  mutable?: string[];
  budget?: string;
  name?: string;
  out?: string;
}

/** The same, checked. */
export interface Asked {
  source: string;
  run: string;
  evaluate: string | null;
  evalFiles: string[];
  artefacts: string[] | null;
  metric: { name: string; direction: 'minimize' | 'maximize' };
  mutable: string[] | null;
  seconds: number | null;
  name: string | null;
  out: string | null;
}

/** Refuses what no task can be made of. */
export function requireOptions(given: SourceOptions): Asked {
  const { source, run, metric, minimize, maximize, budget, evalFiles = [], artefact = null, mutable = null } = given;
  if (run === undefined || metric === undefined || (minimize ?? false) === (maximize ?? false))
    throw refused(
      'Expected --source DIR --run "COMMAND" --metric NAME and one of --minimize and --maximize, such as: ' +
        'npx perpetua start --source . --run "python3 train.py" --eval "python3 evaluate.py" --metric loss --minimize',
    );
  const seconds = budget === undefined ? null : Number(budget);
  if (seconds !== null && !(seconds > 0))
    throw refused(`Expected --budget to be seconds, came ${JSON.stringify(budget)}.`);
  return {
    ...{ source, run, evaluate: given.eval ?? null, evalFiles, artefacts: artefact, mutable, seconds },
    metric: { name: metric, direction: minimize ? 'minimize' : 'maximize' },
    ...{ name: given.name ?? null, out: given.out ?? null },
  };
}
