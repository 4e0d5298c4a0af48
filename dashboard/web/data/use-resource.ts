import { useEffect, useState } from 'react';
import { fetchAnswer, type FetchError } from './fetch-json.ts';
import { onChanged } from './live.ts';

/** Least time between two reads, however often the resource changes. */
const SPACING_MS = 1000;
/** Time after which a failed read is repeated: the server does not announce the missed change again. */
const RETRY_MS = 5000;

export interface Resource<T> {
  /** The last answer. It stays while the next read is under way, and if that read fails. */
  data: T | undefined;
  error: FetchError | undefined;
  /** Path of `data`: the previous path until the first answer for a new one arrives. */
  path: string | undefined;
}

export interface RefreshOptions {
  /** The research whose changes cause a new read; undefined: any change does. */
  research?: string;
  /** Least time between two reads; default: a second. */
  spacingMs?: number;
  /** Interval of additional reads, for data that changes without an event. */
  everyMs?: number;
}

/** Reads a resource, and reads it again when something changes. `path` null: reads nothing. */
export function useResource<T>(path: string | null, options: RefreshOptions = {}): Resource<T> {
  const [resource, setResource] = useState<Resource<T>>({ data: undefined, error: undefined, path: undefined });
  const { research, everyMs, spacingMs = SPACING_MS } = options;
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let busy = false;
    let again = false;
    let tag: string | null = null;
    const read = async (): Promise<void> => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      again = false;
      let waitMs = spacingMs;
      try {
        const answer = await fetchAnswer(path, abort.signal);
        const same = tag !== null && answer.headers.get('etag') === tag;
        // If the answer is the same, the state stays the same object, so nothing renders again.
        if (same) setResource((before) => (before.error ? { ...before, error: undefined } : before));
        else {
          const data = (await answer.json()) as T;
          if (abort.signal.aborted) return;
          setResource({ data, error: undefined, path });
          tag = answer.headers.get('etag');
        }
      } catch (error) {
        if (abort.signal.aborted) return;
        setResource((before) => ({ ...before, error: error as FetchError }));
        if (isTransient(error)) {
          again = true;
          waitMs = RETRY_MS;
        }
      }
      timer = setTimeout(() => {
        busy = false;
        timer = undefined;
        if (again && !document.hidden) void read();
      }, waitMs);
    };
    void read();
    const unsubscribe = onChanged((changed) => {
      if (research === undefined || changed === null || changed === research) void read();
    });
    const readIfShown = (): void => {
      if (!document.hidden) void read();
    };
    const poll = everyMs === undefined ? undefined : setInterval(readIfShown, everyMs);
    return () => {
      abort.abort();
      clearTimeout(timer);
      clearInterval(poll);
      unsubscribe();
    };
  }, [path, research, everyMs, spacingMs]);
  return resource;
}

/** True if a retry may succeed: there was no answer, or the server failed. */
function isTransient(error: unknown): boolean {
  const { status = 0 } = error as Partial<FetchError>;
  return status === 0 || status >= 500;
}
