import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../../config/paths.ts';

/** Places of all pages, each with data to show. */
export const PLACES: readonly string[] = [
  '',
  'setup',
  'fleet',
  'spend',
  'compare?a=demo/41&b=demo/60',
  'r/demo',
  'r/demo/trials',
  'r/demo/trials?per=run',
  'r/demo/trials?trade=1',
  'r/demo/lineage',
  'r/demo/knobs',
  // The first run of the baseline, a proposed trial, a running trial.
  'r/demo/trials/1',
  'r/demo/trials/120',
  'r/demo/trials/308',
  'r/learns',
  'r/learns/learning',
  'r/learns/trials/60',
];

/** Places that show values of hostile candidates. */
export const HOSTILE_PLACES: readonly string[] = [
  '',
  'fleet',
  'spend',
  'compare?a=hostile/40&b=hostile/45',
  'r/hostile',
  'r/hostile/trials',
  'r/hostile/trials?per=run',
  'r/hostile/trials?trade=1',
  'r/hostile/lineage',
  'r/hostile/knobs',
  // A run of the baseline, two proposed trials, a running trial.
  'r/hostile/trials/1',
  'r/hostile/trials/40',
  'r/hostile/trials/45',
  'r/hostile/trials/61',
];

/** Forms of places in the dashboard's table of pages. */
export function formsOfPages(): string[] {
  const table = readFileSync(join(packageRoot(), 'dashboard', 'web', 'pages', 'table.ts'), 'utf8');
  return [...table.matchAll(/form: '([^']*)'/g)].map(([, form = '']) => form);
}

/** True if a place has a form. */
export function hasForm(place: string, form: string): boolean {
  const [parts, wanted] = [(place.split('?')[0] ?? '').split('/'), form.split('/')];
  return parts.length === wanted.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at]);
}
