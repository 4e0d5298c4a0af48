/** What a history keeps of an error. */
interface Failure {
  message?: string | null;
  cause?: Failure | null;
}

/** Says nothing of what is wrong: the query with its parameters, and Temporal's own words around an error. */
const WRAPPING = /^(Failed query:|Failure exceeds size limit|Activity task (failed|timed out)$)/;

/** The first message of a failure and its causes that says what is wrong; the innermost where none does. */
export function failureMessage(failure: Failure | null | undefined): string | null {
  const messages: string[] = [];
  for (let one = failure; one; one = one.cause) if (one.message) messages.push(one.message);
  return messages.find((message) => !WRAPPING.test(message)) ?? messages.at(-1) ?? null;
}
