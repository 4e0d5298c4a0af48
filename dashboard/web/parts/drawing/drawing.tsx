import { createElement, type ReactElement } from 'react';
import type { Drawing as Data, Mark } from '../../../../view/figure/mark.ts';

/** Renders a drawing as SVG. Screen readers get its title; a table beside the drawing has the numbers. */
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

/** Name of an SVG attribute in React, which is camel case. */
const propOf = (name: string): string =>
  name === 'class' ? 'className' : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
