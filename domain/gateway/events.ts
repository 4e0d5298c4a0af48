/** Receives the text of a stream of server-sent events in pieces. */
export interface EventReader {
  feed: (text: string) => void;
  /** Reads the last event, which may lack its empty line. */
  end: () => void;
}

interface ReaderOptions {
  /** Most characters of one event; a longer one is skipped. */
  longest: number;
  /** Receives the data of each event. */
  onData: (data: string) => void;
}

/** Splits a stream into events. Of its fields it reads `data` alone. */
export function createEventReader({ longest, onData }: ReaderOptions): EventReader {
  /** The line without its end so far; null while the rest of a line that is too long is skipped. */
  let partial: string | null = '';
  let data: string[] = [];
  let length = 0;
  const dispatch = (): void => {
    if (data.length > 0 && length <= longest) onData(data.join('\n'));
    data = [];
    length = 0;
  };
  const endLine = (line: string): void => {
    if (line === '') return dispatch();
    if (!line.startsWith('data:')) return;
    length += line.length;
    if (length > longest) data = [''];
    else data.push(line.slice(5).trimStart());
  };
  return {
    feed: (text) => {
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        const line = partial === null ? null : partial + text.slice(from, end);
        if (line === null) length = longest + 1;
        else endLine(line.endsWith('\r') ? line.slice(0, -1) : line);
        partial = '';
        from = end + 1;
      }
      if (partial !== null) partial += text.slice(from);
      if (partial !== null && partial.length > longest) partial = null;
    },
    end: () => {
      if (partial !== null) endLine(partial.trimEnd());
      dispatch();
    },
  };
}

/** The data of each event of a stream. */
export function eventsIn(text: string): string[] {
  const found: string[] = [];
  const reader = createEventReader({ longest: Infinity, onData: (data) => found.push(data) });
  reader.feed(text);
  reader.end();
  return found;
}
