/** What a supervisor writes last of a run, as far as it is told to people. */
interface Ending {
  reason: string;
  exitCode: number | null;
  signal: string | null;
}

/** How a run ended, in words that follow a subject; null: nobody has seen it. */
export function describeRunEnd(end: Ending | null): string {
  if (end === null) return 'was lost by its machine';
  if (end.reason === 'killed') return 'was killed';
  if (end.reason !== 'exit') return `met its limit: ${end.reason}`;
  return end.signal === null ? `ended with exit code ${end.exitCode}` : `was ended by ${end.signal}`;
}
