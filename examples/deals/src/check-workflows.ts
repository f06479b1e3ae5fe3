import { checkWorkflows } from 'switchboard';
import { DEALS } from './deals.extension.js';

await checkWorkflows(DEALS);
