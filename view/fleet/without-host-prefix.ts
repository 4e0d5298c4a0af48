import { oneLine } from '../../domain/text/sanitize.ts';

/** A host's error without its prefix "host box: ", for a line that already names the host. */
export function withoutHostPrefix(host: string, problem: string): string {
  const named = `host ${host}: `;
  return oneLine(problem.startsWith(named) ? problem.slice(named.length) : problem);
}
