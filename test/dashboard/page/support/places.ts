import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../../config/paths.ts';

/** Every page of a sound installation, each with something to show. */
export const PLACES: readonly string[] = [
  ...['', 'setup', 'fleet', 'spend', 'compare?a=demo/41&b=demo/60'],
  ...['r/demo', 'r/demo/trials', 'r/demo/lineage'],
  // The baseline's first run, one that was proposed, one under way.
  ...['r/demo/trials/1', 'r/demo/trials/120', 'r/demo/trials/308'],
  ...['r/learns', 'r/learns/learning', 'r/learns/trials/60'],
];

/** The same of a candidate that would like to be more than text. */
export const HOSTILE_PLACES: readonly string[] = [
  ...['', 'fleet', 'spend', 'compare?a=hostile/40&b=hostile/45'],
  ...['r/hostile', 'r/hostile/trials', 'r/hostile/lineage'],
  // A baseline's run, some that were proposed, one under way.
  ...['r/hostile/trials/1', 'r/hostile/trials/40', 'r/hostile/trials/45', 'r/hostile/trials/61'],
];

/** Forms of places that the page knows, as its table of pages has them. */
export function formsOfPages(): string[] {
  const table = readFileSync(join(packageRoot(), 'dashboard', 'web', 'pages', 'table.ts'), 'utf8');
  return [...table.matchAll(/form: '([^']*)'/g)].map(([, form = '']) => form);
}

/** Whether a place has a form. */
export function hasForm(place: string, form: string): boolean {
  const [parts, wanted] = [(place.split('?')[0] ?? '').split('/'), form.split('/')];
  return parts.length === wanted.length && wanted.every((one, at) => one.startsWith(':') || one === parts[at]);
}
