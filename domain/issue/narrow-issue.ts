import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/**
 * The issues of a mapping that no option of a union took, where the options are told apart by a fixed `name`: those of the
 * option that it names, or one of the name itself. "Came a mapping" would tell a person nothing. Other issues stay.
 */
export function narrowIssue(issue: Issue, came: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || typeof came !== 'object' || came === null || Array.isArray(came))
    return [issue];
  const named = issue.errors.flatMap((issues) => issues.filter(isOfName));
  if (named.length === 0) return [issue];
  const meant = issue.errors.find((issues) => !issues.some(isOfName) && issues.some(({ path }) => path.length > 0));
  if (meant) return meant.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  const values = named.flatMap((one) => one.values);
  return [{ ...issue, code: 'invalid_value', values, path: [...issue.path, 'name'] }];
}

const isOfName = (issue: Issue): issue is Extract<Issue, { code: 'invalid_value' }> =>
  issue.code === 'invalid_value' && issue.path.length === 1 && issue.path[0] === 'name';
