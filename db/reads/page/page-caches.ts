import { createAbortTallyReader, type AbortTallyReader } from '../status/abort-tally-reader.ts';
import { createExplanationReader, type ExplanationReader } from '../explanation/explanation-reader.ts';
import { createLineageReader, type LineageReader } from './tree/lineage-reader.ts';

/** Readers of a process that serves many pages. They keep what they have read once. */
export interface PageCaches {
  readTally: AbortTallyReader;
  readLineage: LineageReader;
  readExplanation: ExplanationReader;
}

export const createPageCaches = (): PageCaches => ({
  readTally: createAbortTallyReader(),
  readLineage: createLineageReader(),
  readExplanation: createExplanationReader(),
});
