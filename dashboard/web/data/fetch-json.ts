/** Error of a request: the server refused it or did not answer. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Fetches a resource below `api/v1/` as JSON. The browser caches the last answer and revalidates it by its ETag. */
export async function fetchJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await fetchAnswer(path, signal)).json()) as T;
}

/** Fetches a resource below `api/v1/`. Throws `FetchError` if the server refuses or does not answer. */
export async function fetchAnswer(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/v1/${path}`, { ...(signal ? { signal } : {}), credentials: 'same-origin' });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new FetchError('the dashboard does not answer', 0);
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => null)) as { error?: string } | null;
  throw new FetchError(problem?.error ?? `the dashboard answered ${response.status}`, response.status);
}

/** A path with its query; values that are null, undefined or empty are left out. */
export function withQuery(path: string, query: Record<string, string | number | null | undefined>): string {
  const present = Object.entries(query).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present).toString()}`;
}

/** Path of a resource of a research. */
export const researchPath = (id: string, ...rest: string[]): string =>
  ['research', encodeURIComponent(id), ...rest].join('/');

/** Path of a resource of a trial, whose id is `<research>/<n>`. */
export const trialPath = (id: string, ...rest: string[]): string =>
  ['trial', encodeURIComponent(id), ...rest].join('/');
