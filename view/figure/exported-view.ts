import type { Table } from './csv.ts';
import type { Drawing } from './mark.ts';

/** A page that can be exported in three forms: as an HTML file, as its first drawing (SVG), or as its data (CSV). */
export interface ExportedView {
  /** Name of its files, without an extension. */
  stem: string;
  title: string;
  /** Subject of the page, in a sentence. */
  subtitle: string;
  /** Time of the data. */
  at: Date;
  /** Time zone of the times in the view; absent: UTC. */
  zone?: string;
  facts: readonly { label: string; value: string }[];
  drawings: readonly Drawing[];
  sections: readonly Section[];
  /** Full data of the drawings. */
  data: Table;
}

export interface Section {
  title: string;
  note?: string;
  table: Table;
  /** Indexes of the columns with numbers. */
  numbers?: readonly number[];
  /** Text that replaces a table without rows. */
  empty?: string;
}

/** A file name that every file system accepts, from any text. */
export const stemOf = (...parts: readonly string[]): string =>
  parts
    .join('-')
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100) || 'perpetua';

/** A time in an exported file, with the name of its zone: `2026-11-27 18:04 UTC`. */
export const momentText = (moment: Date, zone = 'UTC'): string =>
  // Sweden writes dates as ISO 8601 does.
  `${moment.toLocaleString('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })} ${zone}`;
