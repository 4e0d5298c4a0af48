import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/parts.css';
import './style/research.css';
import './style/research-parts.css';
import './style/start.css';
import 'uplot/dist/uPlot.min.css';
import './style/chart.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startLive } from './data/live.ts';
import { applyTheme } from './shell/theme.tsx';

applyTheme();
startLive();
const page = document.getElementById('page');
if (page === null) throw new Error('Expected an element #page in index.html, found none.');
createRoot(page).render(<App />);
