import { createAbortTallyReader, type AbortTallyReader } from '../status/abort-tally-reader.ts';
import { createExplanationReader, type ExplanationReader } from '../explanation/explanation-reader.ts';
import { createSpendSumsReader, type SpendSumsReader } from './blocks/spend-sums.ts';
import { createTrialColumnsReader, type TrialColumnsReader } from './blocks/trial-columns.ts';
import { createTrialCostsReader, type TrialCostsReader } from './blocks/trial-costs.ts';
import { createColumnOrderReader, type ColumnOrderReader } from './candidates/candidate-order.ts';
import { createIdeaReader, type IdeaReader } from './research/read-idea.ts';
import { createLineageReader, type LineageReader } from './tree/lineage-reader.ts';
import { createMatchesReader, type MatchesReader } from './trials/matches-reader.ts';

/** Readers of a process that serves many pages. They keep what they have read once. */
export interface PageCaches {
  readTally: AbortTallyReader;
  readLineage: LineageReader;
  readExplanation: ExplanationReader;
  readColumns: TrialColumnsReader;
  readCosts: TrialCostsReader;
  readSums: SpendSumsReader;
  readMatches: MatchesReader;
  readIdea: IdeaReader;
  readColumnOrder: ColumnOrderReader;
}

export const createPageCaches = (): PageCaches => ({
  readTally: createAbortTallyReader(),
  readLineage: createLineageReader(),
  readExplanation: createExplanationReader(),
  readColumns: createTrialColumnsReader(),
  readCosts: createTrialCostsReader(),
  readSums: createSpendSumsReader(),
  readMatches: createMatchesReader(),
  readIdea: createIdeaReader(),
  readColumnOrder: createColumnOrderReader(),
});
