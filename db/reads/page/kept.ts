import { createAbortReader, type AbortReader } from '../status/abort-reader.ts';
import { createLineageReader, type LineageReader } from './tree/lineage-reader.ts';

/** Readers of a process that serves many pages: what they have read once they do not read again. */
export interface Kept {
  readTally: AbortReader;
  readLineage: LineageReader;
}

export const createKept = (): Kept => ({ readTally: createAbortReader(), readLineage: createLineageReader() });
