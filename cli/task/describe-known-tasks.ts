import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type CatalogEntry, readCatalog, TEMPLATES } from '../../tasks/catalog.ts';
import { isNoTemplate, listTasks } from '../../tasks/find-task.ts';

export interface DescribedTask {
  name: string;
  description: string;
  path: string;
  /** True for a user's task; false for a task that comes with Perpetua. */
  own: boolean;
  metric: { name: string; direction: string } | null;
  /** Facts of a task that comes with Perpetua; null for a user's task. */
  facts: CatalogEntry | null;
}

/** Lists the tasks that are known by name, with their descriptions. Omits the templates of `init`. */
export async function describeKnownTasks(packageRoot: string): Promise<DescribedTask[]> {
  const builtin = join(packageRoot, 'tasks');
  const [known, catalog] = await Promise.all([listTasks({ cwd: process.cwd(), builtin }), readCatalog(builtin)]);
  return Promise.all(
    known.filter(isNoTemplate({ builtin })).map(async ({ name, folder }) => {
      const facts = folder === join(builtin, name) ? (catalog[name] ?? null) : null;
      const own = facts === null && !TEMPLATES.some((template) => folder === join(builtin, template));
      return { name, ...(await readTexts(folder)), path: folder, own, facts };
    }),
  );
}

/** Description and metric of a task. A broken task gets a hint at `check`, which shows its problems. */
async function readTexts(folder: string): Promise<Pick<DescribedTask, 'description' | 'metric'>> {
  const yaml = await readFile(join(folder, 'task.yaml'), 'utf8');
  try {
    const { description, metric } = (parse(yaml) ?? {}) as { description?: unknown; metric?: unknown };
    return {
      description: typeof description === 'string' ? description : '(no description)',
      metric: isMetric(metric) ? { name: metric.name, direction: metric.direction } : null,
    };
  } catch {
    return { description: `(not readable; see: npx perpetua check ${folder})`, metric: null };
  }
}

const isMetric = (metric: unknown): metric is { name: string; direction: string } =>
  typeof (metric as { name?: unknown } | undefined)?.name === 'string' &&
  typeof (metric as { direction?: unknown }).direction === 'string';
