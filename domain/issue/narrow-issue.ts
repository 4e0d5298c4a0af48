import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/**
 * Narrows the issue of a mapping that matches no option of a union, if a fixed `name` distinguishes the options.
 * Returns the issues of the option that the mapping names, or one issue about an unknown name; "got a mapping" would
 * help nobody. Returns any other issue unchanged.
 */
export function narrowIssue(issue: Issue, got: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || typeof got !== 'object' || got === null || Array.isArray(got)) return [issue];
  const named = issue.errors.flatMap((issues) => issues.filter(isOfName));
  if (named.length === 0) return [issue];
  const meant = issue.errors.find((issues) => !issues.some(isOfName) && issues.some(({ path }) => path.length > 0));
  if (meant) return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  const values = named.flatMap((inner) => inner.values);
  return [{ ...issue, code: 'invalid_value', values, path: [...issue.path, 'name'] }];
}

const isOfName = (issue: Issue): issue is Extract<Issue, { code: 'invalid_value' }> =>
  issue.code === 'invalid_value' && issue.path.length === 1 && issue.path[0] === 'name';
