import { visiblePieces } from '../../../domain/text/visible.ts';

/** Marked pieces; beyond, hidden characters are named without a mark, so that a hostile text makes no million elements. */
const MARKED = 200;

interface Props {
  text: string;
  /** On one line: breaks are spaces. */
  line?: boolean;
  /** Characters that are shown; the rest is counted. */
  max?: number;
}

/** Text of a model, a candidate or a run: as text, with what is hidden in it made visible, and in the order in which it is written. */
export function UntrustedText({ text, line = false, max = 20_000 }: Props) {
  const asked = line ? text.replace(/\s+/g, ' ').trim() : text;
  const cut = asked.length > max ? asked.slice(0, max) : asked;
  const pieces = visiblePieces(cut);
  const marked = pieces.slice(0, MARKED);
  const rest = pieces.slice(MARKED);
  return (
    <bdi className="foreign" dir="ltr">
      {marked.map((piece, index) =>
        piece.hidden ? (
          <span key={index} className="hidden-character" title="a character that would not be seen">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
      {rest.map((piece) => piece.text).join('')}
      {cut.length < asked.length ? (
        <span className="quiet"> … {(asked.length - cut.length).toLocaleString('en')} more characters</span>
      ) : null}
    </bdi>
  );
}
