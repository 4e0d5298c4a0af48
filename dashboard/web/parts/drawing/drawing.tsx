import { createElement, type ReactElement } from 'react';
import type { Drawing as Data, Mark } from '../../../../view/figure/mark.ts';

/** A drawing as elements of the page. Its words are for those who do not see it; a table beside it holds the numbers. */
export function Drawing({ drawing }: { drawing: Data }) {
  const { width, height, title, marks } = drawing;
  return (
    <svg
      className="drawing"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={title}
    >
      {marks.map(elementOf)}
    </svg>
  );
}

function elementOf({ tag, attrs, children }: Mark, key: number): ReactElement {
  const named = Object.fromEntries(Object.entries(attrs).map(([name, value]) => [propOf(name), value]));
  return createElement(
    tag,
    { ...named, key },
    ...children.map((child, index) => (typeof child === 'string' ? child : elementOf(child, index))),
  );
}

/** React names attributes of SVG in one word. */
const propOf = (name: string): string =>
  name === 'class' ? 'className' : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
