import { defineTexts } from './define-texts.ts';

/** The texts of the canvas of a workflow. */
export const canvasTexts = defineTexts(
  {
    help: 'Enter opens the step. Alt with an arrow key moves it. Alt with Shift and an arrow key moves it into a list of its neighbour.',
    controls: 'View',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Show everything',
  },
  {
    help: 'Eingabe öffnet den Schritt. Alt mit Pfeiltaste verschiebt ihn, mit Umschalt in eine Liste seines Nachbarn.',
    controls: 'Ansicht',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    fit: 'Alles zeigen',
  },
);
