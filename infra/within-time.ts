import vm from 'node:vm';

/** Result of work with a time limit. */
export type Timed<T> = { done: true; value: T } | { done: false };
export type WithinTime = <T>(milliseconds: number, work: () => T) => Timed<T>;

const context = vm.createContext({ work: null });
const script = new vm.Script('work()');

/**
 * Runs synchronous work that may never end, such as a foreign regular expression on foreign text, for at most
 * `milliseconds` of wall clock. The work may be interrupted anywhere, so it must change no shared state. Costs about
 * 70 µs.
 */
export const withinTime: WithinTime = <T>(milliseconds: number, work: () => T): Timed<T> => {
  context['work'] = work;
  try {
    return { done: true, value: script.runInContext(context, { timeout: milliseconds }) as T };
  } catch (error) {
    // Compares the code, not the class: the error may come from another realm.
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { done: false };
    throw error;
  } finally {
    context['work'] = null;
  }
};
