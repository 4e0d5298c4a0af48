import { FAILURE_CATALOG } from '../../../domain/trial/failure-catalog.ts';
import { page, table } from './write.ts';

const INTRODUCTION = `Every trial ends in one [outcome](states.md#outcomes-of-a-trial). One that failed has a label,
and a sentence that says what was expected and what came: \`perpetua show ID/12\`. Failures of single trials are normal:
a search tries things. Look when one label repeats.`;

/** Text of `docs/reference/failures.md`: every failure label, and the remedy if it repeats. */
export const failuresPage = (): Promise<string> =>
  page('docs/reference/failures.md', {
    title: 'Failure labels',
    from: 'domain/trial/failure-catalog.ts',
    body: `${INTRODUCTION}\n\n${table(
      ['label', 'outcome', 'what it means', 'what to do where it repeats'],
      Object.entries(FAILURE_CATALOG).map(([label, { outcome, means, remedy }]) => [
        `\`${label}\``,
        `\`${outcome}\``,
        means,
        remedy ?? '–',
      ]),
    )}`,
  });
