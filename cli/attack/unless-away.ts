import { isAway } from '../errors.ts';
import { note, type Io } from '../io.ts';

/** Reads from Postgres; null while it does not answer, which is said once for each time that it is away. */
export function unlessAway<T>(io: Io, read: () => Promise<T>): () => Promise<T | null> {
  let away = false;
  return async () => {
    try {
      const found = await read();
      away = false;
      return found;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!away) note(io, 'Postgres does not answer; waiting for it');
      away = true;
      return null;
    }
  };
}
