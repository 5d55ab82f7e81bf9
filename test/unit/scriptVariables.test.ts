import { objectionToVariableName } from '../../nodes/OutboundAiCalling/service/scriptVariables';

describe('the name of a script variable', () => {
  it.each(['', ' ', '\t'])('%j is none', (name) => {
    expect(objectionToVariableName(name)).toBe('A script variable has no name');
  });

  it.each(['scriptId', ' CUSTOMERPHONE '])('%j is the service’s own', (name) => {
    const said = `"${name.trim()}" is a name that the calling service uses itself`;
    expect(objectionToVariableName(name)).toBe(said);
  });

  it('may be any other', () => {
    expect(objectionToVariableName('delivery_date')).toBeUndefined();
  });
});
