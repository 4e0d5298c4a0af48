import { oneLine } from '../../domain/text/sanitize.ts';

/** A problem for a line that names the host: errors of hosts begin with "host box: ", which is not said twice. */
export function withoutHostPrefix(host: string, problem: string): string {
  const named = `host ${host}: `;
  return oneLine(problem.startsWith(named) ? problem.slice(named.length) : problem);
}
