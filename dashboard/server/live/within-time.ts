/** Who was asked said nothing in time. */
class NoAnswerError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** The promise's result; throws where it takes longer. */
export async function withinTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${ms / 1000} s`)), ms);
  });
  promise.catch(() => undefined); // one that comes late is not heard, and must not end the process
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
