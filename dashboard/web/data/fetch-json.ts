/** The server's refusal, or that it does not answer, in words. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** HTTP status; 0 where nobody answered. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** JSON of a resource below `api/v1/`. The browser keeps the last answer and asks whether it still holds. */
export async function fetchJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await fetchAnswer(path, signal)).json()) as T;
}

/** The answer, whose ETag tells whether it is another one than before. */
export async function fetchAnswer(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/v1/${path}`, { ...(signal ? { signal } : {}), credentials: 'same-origin' });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new FetchError('the dashboard does not answer', 0);
  }
  if (response.ok) return response;
  const said = (await response.json().catch(() => null)) as { error?: string } | null;
  throw new FetchError(said?.error ?? `the dashboard answered ${response.status}`, response.status);
}

/** A path with its query; values that are null, undefined or empty are left out. */
export function withQuery(path: string, query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The path of something of a research. */
export const ofResearch = (id: string, ...rest: string[]): string =>
  ['research', encodeURIComponent(id), ...rest].join('/');

/** The path of something of a trial, `<research>/<n>`. */
export const ofTrial = (id: string, ...rest: string[]): string => ['trial', encodeURIComponent(id), ...rest].join('/');
