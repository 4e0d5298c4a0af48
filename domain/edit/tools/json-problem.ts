/** Describes where a text stops being JSON: it ends too early, or at which character, with the text around it. */
export function jsonProblem(text: string): string {
  if (text.trim() === '') return 'they are empty';
  try {
    JSON.parse(text);
    return 'they are JSON';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? NaN);
    const isCut = /end of JSON|unterminated/i.test(message);
    if (isCut || position >= text.length) return `they end in the middle, behind ${JSON.stringify(text.slice(-60))}`;
    if (Number.isNaN(position)) return message.slice(0, 200);
    const near = text.slice(Math.max(0, position - 30), position + 30);
    return `at character ${position + 1}, near ${JSON.stringify(near)}`;
  }
}
