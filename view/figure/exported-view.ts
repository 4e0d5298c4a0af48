import type { Table } from './csv.ts';
import type { Drawing } from './mark.ts';

/** A page as a person takes it away: as one file of HTML, its first drawing as SVG, its data as CSV. */
export interface ExportedView {
  /** Of its files, without an ending. */
  stem: string;
  title: string;
  /** What it is of, in a sentence. */
  subtitle: string;
  /** When that was so. */
  at: Date;
  facts: readonly { label: string; value: string }[];
  drawings: readonly Drawing[];
  sections: readonly Section[];
  /** What the drawings show, in full. */
  data: Table;
}

export interface Section {
  title: string;
  note?: string;
  table: Table;
  /** Columns of numbers. */
  numbers?: readonly number[];
  /** In place of the table where it has no row. */
  empty?: string;
}

/** A name that every file system takes, whatever the research is called. */
export const stemOf = (...parts: readonly string[]): string =>
  parts
    .join('-')
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100) || 'perpetua';

/** A moment as it stands in a file: `2026-11-27 18:04 UTC`. */
export const momentText = (moment: Date): string => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
