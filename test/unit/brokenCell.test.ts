import { isBrokenCell } from '../../nodes/OutboundAiCalling/brokenCell';

describe('a cell', () => {
  it.each([
    ...['#N/A', '#REF!', '#NAME?', '#VALUE!', '#DIV/0!', '#NUM!', ' #NULL! '],
    ...['#BEZUG!', '#¡REF!', '#N/D', '#NV', '#####'],
    ...['#I/T', '#N/B', '#n/a', '#Н/Д', '#Δ/Υ', '#YOK', '#HIÁNYZIK', '#NEDOSTUPNÝ'],
    '#NENÍ_K_DISPOZICI',
    // Of LibreOffice, and of cells that Excel and Google Sheets have not computed yet.
    ...['Err:502', 'Err:522', '#GETTING_DATA', 'Loading...', 'Loading…'],
    ...['5.76461E+17', '5,76461E+17', '-1E+15', String(1e30)],
  ])('%j is one in which a spreadsheet lost the value', (text) => {
    expect(isBrokenCell(text)).toBe(true);
  });

  it.each([
    ...[
      '',
      '#1001',
      '#A-17',
      '#NA-7',
      'A-17',
      '1E5',
      '12E+3',
      '5.76461E17',
      '5.76',
      '+12025550123',
    ],
    ...['#KXTPLM', '#A-1001', '#A/1', '#1/A', '#AB/C', '#A/BC', '#YOKO', '#NV7'],
    ...['N/A', '#', '# 17!', 'see #REF!', '#REF! see above', '#urgent!', '#17!'],
    ...['Err:5', 'Err:5021', 'Loading', 'Loading bay', 'Loading... dock 5'],
  ])('%j is whole', (text) => {
    expect(isBrokenCell(text)).toBe(false);
  });
});
