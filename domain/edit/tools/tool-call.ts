/** A tool call of an answer, as the model wrote it. */
export interface ToolCallText {
  name: string;
  /** JSON text, possibly broken. */
  arguments: string;
}

/** Tool calls as text, for a model that is asked again. */
export const toolCallsText = (calls: readonly ToolCallText[]): string =>
  calls.map(({ name, arguments: given }) => `${name}(${given})`).join('\n');

/** Reads stored tool calls; none if the value is something else. */
export function storedToolCalls(value: unknown): ToolCallText[] {
  const calls: unknown[] = Array.isArray(value) ? value : [];
  return calls.flatMap((call) => {
    const { name, arguments: given } = (call ?? {}) as Partial<ToolCallText>;
    return typeof name === 'string' && typeof given === 'string' ? [{ name, arguments: given }] : [];
  });
}
