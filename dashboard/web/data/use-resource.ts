import { useEffect, useState } from 'react';
import { fetchAnswer, type FetchError } from './fetch-json.ts';
import { onChanged } from './live.ts';

/** At most so often, however much changes. */
const APART_MS = 1000;
/** A read that failed is made anew after that: the word of a change that it missed does not come twice. */
const RETRY_MS = 5000;

export interface Resource<T> {
  /** The last answer; it stays while the next one is on its way, and when that fails. */
  data: T | undefined;
  error: FetchError | undefined;
  /** Of which path the data is: another one than asked for while the first answer is on its way. */
  path: string | undefined;
}

export interface RefreshOptions {
  /** Read anew when this research changes; undefined: when anything does. */
  research?: string;
  /** Read anew so often, too, for what changes without an event; in milliseconds. */
  everyMs?: number;
}

/** A resource that is read anew when something changes. `path` null: nothing is read. */
export function useResource<T>(path: string | null, follow: RefreshOptions = {}): Resource<T> {
  const [resource, setResource] = useState<Resource<T>>({ data: undefined, error: undefined, path: undefined });
  const { research, everyMs } = follow;
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let busy = false;
    let again = false;
    let tag: string | null = null;
    const read = async (): Promise<void> => {
      if (busy) return void (again = true);
      busy = true;
      again = false;
      let waitMs = APART_MS;
      try {
        const answer = await fetchAnswer(path, abort.signal);
        const same = tag !== null && answer.headers.get('etag') === tag;
        // Nothing is drawn anew that did not change.
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
        if (mayPass(error)) [again, waitMs] = [true, RETRY_MS];
      }
      timer = setTimeout(() => {
        busy = false;
        timer = undefined;
        if (again && !document.hidden) void read();
      }, waitMs);
    };
    void read();
    const unheard = onChanged((changed) => {
      if (research === undefined || changed === null || changed === research) void read();
    });
    const poll = everyMs === undefined ? undefined : setInterval(() => document.hidden || void read(), everyMs);
    return () => {
      abort.abort();
      clearTimeout(timer);
      clearInterval(poll);
      unheard();
    };
  }, [path, research, everyMs]);
  return resource;
}

/** Whether the next try may go better: nobody answered, or the server had a problem of its own. */
function mayPass(error: unknown): boolean {
  const { status = 0 } = error as Partial<FetchError>;
  return status === 0 || status >= 500;
}
