/** Error as a workflow history stores it. */
interface Failure {
  message?: string | null;
  cause?: Failure | null;
}

/** Messages that do not name the cause: a query with its parameters, and Temporal's wrappers around an error. */
const WRAPPING = /^(Failed query:|Failure exceeds size limit|Activity task (failed|timed out)$)/;

/** First message of a failure and its causes that names the cause, else the innermost message; null without any. */
export function failureMessage(failure: Failure | null | undefined): string | null {
  const messages: string[] = [];
  for (let current = failure; current; current = current.cause) if (current.message) messages.push(current.message);
  return messages.find((message) => !WRAPPING.test(message)) ?? messages.at(-1) ?? null;
}
