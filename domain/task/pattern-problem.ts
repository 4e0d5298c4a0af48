/** Why a regular expression of a task is refused, or null; it must compile and have the named groups. */
export function patternProblem(pattern: string, groups: readonly string[]): string | null {
  try {
    new RegExp(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const missing = groups.filter((name) => !hasGroup(pattern, name));
  return missing.length === 0 ? null : `no named group ${missing.map((name) => `(?<${name}>…)`).join(' and ')}`;
}

// An empty alternative matches everything, so the groups of the pattern come back without a text that fits it.
function hasGroup(pattern: string, name: string): boolean {
  const groups = new RegExp(`(?:${pattern})|`).exec('')?.groups;
  return groups !== undefined && Object.hasOwn(groups, name);
}
