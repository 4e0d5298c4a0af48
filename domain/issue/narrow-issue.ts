import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/**
 * Narrows the issue of a mapping that matches no option of a union, if a fixed `name` distinguishes the options, or if
 * one option alone is a mapping. Returns the issues of the option that the mapping means, or one issue about an unknown
 * name; "got a mapping" would help nobody. Returns any other issue unchanged.
 */
export function narrowIssue(issue: Issue, got: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || typeof got !== 'object' || got === null || Array.isArray(got)) return [issue];
  const named = issue.errors.flatMap((issues) => issues.filter(isOfName));
  if (named.length === 0) {
    const mappings = issue.errors.filter((issues) => !issues.some(isOfKind));
    return mappings.length === 1 ? issuesWithin(issue, mappings.flat(), got) : [issue];
  }
  const meant = issue.errors.find((issues) => !issues.some(isOfName) && issues.some(({ path }) => path.length > 0));
  if (meant) return issuesWithin(issue, meant, got);
  const values = named.flatMap((inner) => inner.values);
  return [{ ...issue, code: 'invalid_value', values, path: [...issue.path, 'name'] }];
}

/** The issues of an option, which may be unions themselves, with the path of the union before theirs. */
const issuesWithin = ({ path }: Issue, issues: Issue[], got: object): Issue[] =>
  issues
    .flatMap((inner) => narrowIssue(inner, valueAt(got, inner.path)))
    .map((inner) => ({ ...inner, path: [...path, ...inner.path] }));

const valueAt = (value: unknown, path: Issue['path']): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

const isOfName = (issue: Issue): issue is Extract<Issue, { code: 'invalid_value' }> =>
  issue.code === 'invalid_value' && issue.path.length === 1 && issue.path[0] === 'name';

/** True if an option wants another kind of value than a mapping. */
const isOfKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
