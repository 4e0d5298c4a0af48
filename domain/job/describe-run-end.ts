/** The end of a run as its supervisor recorded it, reduced to the fields that people read. */
interface Ending {
  reason: string;
  exitCode: number | null;
  signal: string | null;
}

/**
 * Describes how a run ended, as a predicate without its subject. `end` is null if the run was lost with its machine.
 */
export function describeRunEnd(end: Ending | null): string {
  if (end === null) return 'was lost with its machine';
  if (end.reason === 'killed') return 'was killed';
  if (end.reason !== 'exit') return `exceeded its limit: ${end.reason}`;
  return end.signal === null ? `ended with exit code ${end.exitCode}` : `was ended by ${end.signal}`;
}
