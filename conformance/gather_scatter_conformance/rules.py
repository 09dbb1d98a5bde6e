"""Every rule that has cases: its text, the open point of the standard that it settles, and its authority.

`said_by` is
- "standard": the text of the operator (or of the IR) decides it;
- "reference": the text is silent or contradicts itself, and ONNX's reference evaluator decides it;
- "policy": the text is silent, the reference evaluator differs or fails, and the suite had to choose.

A runtime that breaks a rule of the first kind is wrong. If it breaks another rule, its users should know.
The policies A1 to A47 number the open points of the standard; a rule's sentence quotes or sums up the text.
"""

import typing

STANDARD, REFERENCE, POLICY = "standard", "reference", "policy"


class Rule(typing.NamedTuple):
    """A rule; `exceptions` gives (said_by, sentence) for each "Operator" or "Operator-version" that differs."""

    said_by: str
    sentence: str
    policies: tuple = ()
    exceptions: dict = {}
    refuses: bool = False


def refusal(said_by, sentence, *policies, **exceptions):
    """Return a rule that makes an input illegal."""
    return Rule(said_by, sentence, policies, by_version(exceptions), True)


def rule(said_by, sentence, *policies, **exceptions):
    """Return a rule about the output."""
    return Rule(said_by, sentence, policies, by_version(exceptions))


def by_version(exceptions):
    """Convert keywords such as Gather_1 to keys such as "Gather-1"."""
    return {name.replace("_", "-"): value for name, value in exceptions.items()}


NO_DUPLICATES = '"indices should not have duplicate entries" if reduction is none; the result is left open.'
REDUCED = '"output[..] = f(output[..], updates[..])": every update is applied.'

RULES = {
    # Moves of elements.
    "equation": rule(STANDARD, "The operator's own equation or pseudo-code."),
    "page-example": rule(STANDARD, "An example of the operator's page."),
    "element-types": rule(STANDARD,
                          "T lists the element types of the version; indices are int32 or int64, and int64 in tuples."),
    "opset": rule(STANDARD, "An opset selects an operator's newest version that is not newer than the opset.", "A46"),
    "axis": rule(STANDARD, '"Negative value means counting dimensions from the back."',
                 TensorScatter=(STANDARD, '"axis: Sequence dimension ... Default is -2."')),
    "output-shape": rule(STANDARD, '"q + r - indices_shape[-1] - 1 - b"; the Outputs line leaves out "- b".', "A12",
                         Gather=(STANDARD, '"Tensor of rank q + (r - 1)": data[:axis] ++ indices ++ data[axis+1:].')),
    "scalar-indices": rule(STANDARD, '"indices, of any rank q": a scalar removes the axis.', "A33", "A39"),
    "bits-kept": rule(STANDARD, "Elements are gathered or assigned, with NaN payloads, -0 and all bytes of strings."),
    "functional": rule(STANDARD, '"creating a copy of the input data": the input keeps its values.', "A42"),
    "large": rule(STANDARD, REDUCED, "A30"),
    # Indices.
    "negative-index": rule(
        STANDARD, '"within bounds [-s, s-1]"', "A9", "A10",
        Gather_1=(REFERENCE, '"within bounds"; negative values are not mentioned.'),
        Scatter_9=(POLICY, "The text does not mention the range of index values."),
        ScatterND=(STANDARD, '"Index values are allowed to be negative, as per the usual convention"')),
    "duplicates-last-wins": rule(
        REFERENCE, NO_DUPLICATES, "A1", "A2",
        Scatter=(POLICY, "The text is silent on duplicates."),
        ScatterElements_11=(REFERENCE, "The text is silent on duplicates."),
        ScatterElements_13=(REFERENCE, "The text is silent on duplicates.")),
    "duplicates-aliased": rule(REFERENCE, "-1 and s-1 are the same place, and therefore duplicates.", "A4",
                               Scatter=(POLICY, "-1 and s-1 are the same place.")),
    "duplicates-reduced": rule(STANDARD, REDUCED, "A3", "A8"),
    "index-is-a-tuple": rule(STANDARD, '"output[tuple(indices[idx])] = updates[idx]"', "A5",
                             GatherND=(STANDARD, '"mapping each index-tuple ... to the corresponding slice"')),
    "slice-updates": rule(STANDARD, '"indices.shape[0:q-1] ++ data.shape[k:r]"', "A6"),
    "empty-tuple": rule(REFERENCE, '"k can be a value at most the rank of data": no lower bound, so 0 is legal.',
                        "A14"),
    "empty-indices": rule(STANDARD, "A dimension may be 0: nothing is gathered, or data are unchanged."),
    "empty-data": rule(STANDARD, "A dimension of data may be 0 if no index addresses it."),
    "batch-dims": rule(STANDARD, '"The first b dimensions of ... indices tensor and data tensor must be equal"; '
                       "the bounds of component i are those of axis b + i.", "A13"),
    "batch-empty": rule(STANDARD, "A batch dimension may be 0: the output is empty.", "A21"),
    "smaller-off-axis": rule(STANDARD,
                             '"index-value for dimension != axis is obtained from the index of the entry itself"',
                             "A22", GatherElements=(STANDARD, '"out[i][j][k] = input[index[i][j][k]][j][k]"')),
    "longer-on-axis": rule(STANDARD, "Indices may have any size on the axis itself.", "A22"),
    "off-axis-empty": rule(POLICY, "No dimension is compared if indices are empty.", "A22",
                           ScatterElements=(REFERENCE, "No dimension is compared if indices are empty.")),
    # Arithmetic.
    "reduction": rule(STANDARD, '"where the f is +, *, max or min as specified"', "A8"),
    "mul-multiplies": rule(STANDARD, '"mul: reduction using the addition operation" is a slip: multiplication.', "A7"),
    "integers-wrap": rule(REFERENCE, "Silent on overflow: modulo 2^n.", "A28"),
    "bool-reduction": rule(REFERENCE, "bool is in T: add and max are OR, mul and min are AND.", "A25"),
    "rounded-each-step": rule(REFERENCE, "Silent on accumulation: each step is rounded to the element type.", "A29"),
    "left-fold": rule(REFERENCE, '"The order of iteration ... is not specified": row-major, starting with data.',
                      "A30"),
    "nan-in-max-and-min": rule(POLICY, "Silent: NaN wins, as in IEEE 754-2019 maximum and minimum.", "A23",
                               ScatterND=(REFERENCE, "Silent: NaN wins, as in IEEE 754-2019 maximum and minimum.")),
    "nan-made": rule(STANDARD, "inf - inf and 0 * inf are NaN; which NaN is left open.", "A44"),
    "infinities": rule(STANDARD, '"where the f is +, *, max or min as specified"'),
    "signed-zero": rule(POLICY, "Silent: +0 is above -0 in max and min.", "A24"),
    "complex-reduction": rule(REFERENCE, "complex is in T: add and mul by the textbook formulas.", "A27"),
    "string-concatenation": rule(REFERENCE, "string is in T: add concatenates in row-major order.", "A26"),
    # TensorScatter.
    "circular": rule(STANDARD, '"the update index is modulo max_sequence_length", on the sequence dimension alone.',
                     "A15"),
    "write-indices-default": rule(STANDARD, '"Assumed to be all zeros if not provided."', "A45"),
    # Further parts of a model.
    "symbolic-shapes": rule(STANDARD, "A dimension may be a name: inferred sizes must not contradict the inputs."),
    "tensor-encoding": rule(STANDARD, "TensorProto: values are in raw_data or in the field of their type."),
    # Refusals.
    "index-range": refusal(
        STANDARD, '"It is an error if any of the index values are out of bounds."', "A11",
        Scatter_9=(POLICY, "The text does not mention the range of index values."),
        ScatterND=(REFERENCE, '"expected in the valid range"; the text does not make other values an error.')),
    "index-into-nothing": refusal(
        STANDARD, "No value is within [-s, s-1] for s = 0.", "A34",
        Scatter_9=(POLICY, "The text does not mention the range of index values."),
        ScatterND=(REFERENCE, '"expected in the valid range"; no value is valid for s = 0.')),
    "index-of-empty-slice": refusal(
        STANDARD, '"It is an error if any of the index values are out of bounds", even if no element is moved.', "A34",
        ScatterND=(REFERENCE, '"expected in the valid range", even if no element is moved.')),
    "refused-whole": refusal(
        POLICY, "One bad index among many: an error, and nothing was written to memory that the caller sees.", "A11"),
    "axis-range": refusal(STANDARD, '"Accepted range is [-r, r-1]"; 2^32 is not 0.', "A47"),
    "scalar-data": refusal(STANDARD, '"data tensor of rank r >= 1"', "A32",
                           TensorScatter=(STANDARD, '"past_cache ... with shape (batch_size, D1, ...)"')),
    "scalar-indices-refused": refusal(STANDARD, '"indices tensor of rank q >= 1"'),
    "rank-equal": refusal(STANDARD, '"of the same rank r >= 1"',
                          TensorScatter=(STANDARD, '"update only differs from the cache in the sequence dimension"')),
    "off-axis-larger": refusal(STANDARD, "The equation would read or write past the dimension.", "A22"),
    "updates-shape": refusal(STANDARD, '"the shape of updates must equal indices.shape[0:q-1] ++ data.shape[k:r]"',
                             "A6",
                             ScatterElements=(STANDARD, '"same rank and shape as indices"'),
                             Scatter=(STANDARD, '"same rank and shape as indices"')),
    "tuple-too-long": refusal(STANDARD, '"indices_shape[-1] > r-b => error condition"',
                              ScatterND=(STANDARD, '"k can be a value at most the rank of data"')),
    "empty-tuple-refused": refusal(STANDARD,
                                   '"indices_shape[-1] should have a value between 1 (inclusive) and rank r-b"',
                                   "A14"),
    "batch-dims-range": refusal(STANDARD, '"b < min(q, r) is to be honored"; b < 0 is not mentioned.', "A19"),
    "batch-dims-equal": refusal(STANDARD, '"The first b dimensions ... must be equal."', "A20"),
    "string-only-add": refusal(POLICY,
                               "string is in T for all reductions; mul, max and min of strings have no meaning.",
                               "A26"),
    "complex-no-order": refusal(POLICY, "complex is in T for all reductions; complex numbers have no order.", "A27"),
    "cache-axis": refusal(STANDARD, '"It cannot be 0 (the batch dimension)."', "A18"),
    "update-too-long": refusal(STANDARD, '"sequence_length <= max_sequence_length"', "A16"),
    "update-dimensions": refusal(STANDARD, '"only differs from the cache tensors in the sequence dimension"'),
    "write-indices-shape": refusal(STANDARD, '"Shape is (batch_size,)"'),
    "write-index-negative": refusal(POLICY, "Silent: a write index is not a position from the end.", "A17"),
    "linear-bound": refusal(STANDARD, '"requires write_indices+sequence_length<=max_sequence_length"'),
    "mode-name": refusal(STANDARD, '"Supported modes include linear and circular."'),
    "reduction-name": refusal(STANDARD, '"Type of reduction to apply: none (default), add, mul" (18: max, min).',
                              "A31", "A41"),
    "attribute-unknown": refusal(STANDARD, "A node has only the attributes of its version.", "A31", "A47"),
    "attribute-kind": refusal(STANDARD, "An attribute has the type that the operator declares.", "A47"),
    "element-type": refusal(STANDARD, "T does not list the type."),
    "bfloat16-from-13": refusal(STANDARD, "T lists bfloat16 from version 13 on.", "A36", "A37"),
    "index-type": refusal(STANDARD, "Tind lists int32 and int64; for operators with tuples, only int64.", "A40"),
    "same-type": refusal(STANDARD, "data, updates and output are all of type T."),
    "deprecated": refusal(STANDARD, "Scatter is deprecated from opset 11 on: a model with it is not legal.", "A35",
                          "A36"),
    "output-declared": refusal(STANDARD, "The declared type or shape of the output contradicts what is inferred."),
    "tensor-damage": refusal(STANDARD, "TensorProto: the values do not fit dims and data_type."),
}

# Rules about a node's types, attributes and attribute values.
OF_TYPES = (
    "string-only-add", "complex-no-order", "element-type", "bfloat16-from-13", "index-type", "same-type", "mode-name",
    "reduction-name", "attribute-unknown", "attribute-kind", "deprecated", "tensor-damage",
)  # fmt: skip


def decided(name, operator, since):
    """Return (said_by, sentence) of a rule for one version of an operator."""
    found = RULES[name]
    for key in (f"{operator}-{since}", operator):
        if key in found.exceptions:
            return found.exceptions[key]
    return found.said_by, found.sentence
