/** Text of a stored request: its messages with their roles, else the whole request as JSON. */
export function promptText(request: unknown): string {
  const messages = (request as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return JSON.stringify(request, null, 2);
  return (messages as { role?: unknown; content?: unknown }[])
    .map(
      ({ role, content }) =>
        `[${String(role)}]\n${typeof content === 'string' ? content : JSON.stringify(content, null, 2)}`,
    )
    .join('\n\n');
}
