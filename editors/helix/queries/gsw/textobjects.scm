; What is selected as one thing.

(function body: (block) @function.inside) @function.around
(workflow body: (block) @function.inside) @function.around
(tool body: (block) @function.inside) @function.around
(prompt body: (prompt_body) @function.inside) @function.around
(human body: (prompt_body) @function.inside) @function.around
(lambda body: (_) @function.inside) @function.around

[(type_record) (enum) (error)] @class.around

(parameters (parameter) @parameter.inside @parameter.around)
(arguments (_) @parameter.inside @parameter.around)

(test body: (block) @test.inside) @test.around
[(comment) (doc_comment)]+ @comment.around
