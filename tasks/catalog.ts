import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const value = z.number();

/** Measurements of a task by `bench/tasks.ts`, in the unit of its metric. */
const Measured = z.strictObject({
  /** CPU seconds of a run of the unmodified workspace, without its evaluation. */
  seconds: value,
  baseline: z.strictObject({ mean: value, sd: value, runs: z.int() }),
  /** Value of the best candidate after a search without a model, in fresh runs: the mean over the repeats. */
  random: value,
  tpe: value,
  search: z.strictObject({ trials: z.int(), repeats: z.int() }),
  /** Number of hostile candidates in the task's folder `exploits`. */
  exploits: z.int(),
});

/** Facts of a task that comes with Perpetua. */
const CatalogEntry = z.strictObject({
  /** Programs and packages that its runs need. */
  needs: z.string(),
  /** Best value that is published or proven; null: none. */
  known: z.strictObject({ value, source: z.string() }).nullable(),
  measured: Measured.nullable(),
});

export type CatalogEntry = z.infer<typeof CatalogEntry>;
export type CatalogMeasurement = z.infer<typeof Measured>;

/** Facts of each task that comes with Perpetua, by name; without the templates of `init`. */
export type Catalog = Record<string, CatalogEntry>;

export const CATALOG_FILE = 'catalog.json';

/** Tasks that `init` copies. */
export const TEMPLATES: readonly string[] = ['template', 'template-python'];

/** Reads the catalogue of the folder of the tasks that come with the program. */
export async function readCatalog(builtin: string): Promise<Catalog> {
  const text = await readFile(join(builtin, CATALOG_FILE), 'utf8');
  return z.record(z.string(), CatalogEntry).parse(JSON.parse(text));
}
